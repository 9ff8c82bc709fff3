/** What a note says in an export, in one line; undefined for those that say nothing to a reader. */
import { goalLine } from '../../shared/goal.js';
import type { Entry } from '../../shared/notes.js';

export function noteText(entry: Entry): string | undefined {
  switch (entry.type) {
    case 'retry_start':
      return entry.kind === 'parked'
        ? `Waiting until ${entry.due_at}: ${entry.error}`
        : `Tried again (${entry.attempt + 1} of ${entry.max_attempts}) after ${entry.delay_ms} ms: ${entry.error}`;
    case 'retry_end':
      return entry.success
        ? undefined
        : `Given up after ${entry.attempt} retries: ${entry.final_error ?? ''}`;
    case 'resume_start':
      return `Step ${entry.step} began again (${entry.resume}) after ${entry.delay_ms} ms: ${entry.error}`;
    case 'summarization_retry_start':
      return `The summary was tried again (${entry.attempt + 1} of ${entry.max_attempts}): ${entry.error}`;
    case 'overflow_recovery':
      return `The conversation was too long for the model${entry.error === undefined ? '' : `: ${entry.error}`}`;
    case 'session_recovery':
      return `The turn was interrupted and closed when the session was opened again (${entry.reason}).`;
    case 'turn_end':
      return endText(entry.status, entry.failure?.message ?? entry.error);
    case 'model_change':
      return `Model: ${entry.provider}/${entry.model_id}`;
    case 'files_changed':
      return `Changed: ${entry.changes.map(({ path }) => path).join(', ')}`;
    case 'todo_update':
      return `To do: ${entry.items.map(({ title, status }) => `${title} (${status.replace('_', ' ')})`).join('; ')}`;
    case 'subagent_start':
      return `Started the agent ${entry.agent}: ${entry.task}`;
    case 'subagent_end':
      return `The agent ${entry.agent} ended: ${entry.status}`;
    case 'goal_update':
      return goalLine(entry);
    case 'run_finish':
      return `Finished (${entry.status}): ${entry.summary}`;
    default:
      return undefined;
  }
}

function endText(
  status: 'completed' | 'stopped' | 'failed' | 'interrupted',
  error: string | undefined,
): string | undefined {
  switch (status) {
    case 'completed':
      return undefined;
    case 'stopped':
      return 'Stopped';
    case 'failed':
      return error === undefined ? 'The turn failed' : `The turn failed: ${error}`;
    case 'interrupted':
      return 'The turn was interrupted';
  }
}
