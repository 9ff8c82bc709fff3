/** What copying sessions to another place came to, in words. */
import type { RootCopy } from '../../log/copy-root.js';

export function describeCopy(
  { copied, kept, inUse, failed, isStopped }: RootCopy,
  { from, to }: { from: string; to: string },
): { short: string; text: string } {
  const counts = [
    `copied: ${copied.length}`,
    ...(kept.length === 0 ? [] : [`there already, kept as they are: ${kept.length}`]),
    ...(inUse.length === 0 ? [] : [`in use now, not copied: ${inUse.length}`]),
    ...(failed.length === 0 ? [] : [`failed: ${failed.length}`]),
  ].join('; ');
  const stopped = isStopped ? ' It was cancelled before all were copied.' : '';
  const because = ({ session, reason }: { session: string; reason: string }) => `${session}: ${reason}`;
  return {
    short: `Sessions ${counts}.${stopped}${failed.length + inUse.length > 0 ? ' The report says which.' : ''}`,
    text: [
      '# Copied sessions',
      '',
      `From ${from}`,
      '',
      `To ${to}`,
      '',
      `Sessions ${counts}.${stopped} Nothing was moved or deleted.`,
      ...section('Failed', failed.map(because)),
      ...section('In use now, not copied', inUse.map(because)),
      ...section('There already, kept as they are', kept),
      ...section('Copied', copied),
      '',
    ].join('\n'),
  };
}

const section = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${item}`)];
