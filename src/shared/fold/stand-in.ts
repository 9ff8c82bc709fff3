/**
 * What a model is told in place of a tool result that never came. The same words whether they were written to the log by
 * a repair or only stand in a request, so that the view can tell them from a tool's own error.
 */

/** The call may have partly run: the process ended, or the turn was stopped, before there was a result. */
export const INTERRUPTED_RESULT =
  'The tool was interrupted before it produced a result because the process exited. It may have partly run. Run it again if the result is still needed.';

export const NOT_RUN_RESULT =
  'The tool did not run: this call was never started. Call it again if it is still needed.';

export const NOT_APPROVED_RESULT = 'The tool did not run: this call was not approved.';

/** The end of the log was torn off, and with it what would say whether the call ran. */
export const LOST_RESULT =
  'The end of the file that this conversation is kept in was lost, so whether this call ran is not known. Look at what is there before you run it again.';

/** Why a turn was closed in a copy: what was copied ends before it does. */
export const CUT_COPY = 'What was copied ends within this turn.';

/** No tool was tried: the person set the session so. */
export const READ_ONLY_RESULT =
  'The call was not run: this session is in read-only mode, in which nothing is changed and no command is run. Do not try another way. Say what you would do; the person can switch the mode.';

/** No tool was tried: in this mode nobody is asked. */
export const NO_RULE_RESULT =
  'The call was not run: this session is in auto mode, in which nobody is asked, and no rule of the person allows this call. Do not reach the same end another way. Go on with what can be done without it, and say at the end what was left undone; the person can add a rule or switch the mode.';

export const OTHER_LINE_RESULT =
  'This call was answered on another branch of the conversation. Its result is not part of this one. Call it again if the result is still needed.';

const standIns = [INTERRUPTED_RESULT, NOT_RUN_RESULT, NOT_APPROVED_RESULT, OTHER_LINE_RESULT, LOST_RESULT];

/** Whether a result is one of ours. Recovery may add what it found out behind the sentence. */
export const isStandIn = (content: string): boolean => standIns.some((text) => content.startsWith(text));
