/**
 * When a server refuses a request because of its images: which of them stay behind, the oldest first, before it is asked
 * once more. Pure, like retry.ts.
 */
import type { Failure } from '../shared/failure.js';
import type { SentImage } from './context/attachments.js';

/** What says that images are why: their number, one of them, or a body that is too large with them in it. */
const isAboutImages = ({ code, status }: Failure): boolean =>
  code === 'image' || code === 'images' || status === 413;

/** Empty when the failure is about something else, or there is no image to leave out. */
export function imagesToLeave(images: readonly SentImage[], failure: Failure): SentImage[] {
  if (images.length === 0 || !isAboutImages(failure)) return [];
  return images.slice(0, images.length - mostToKeep(images, failure));
}

function mostToKeep(images: readonly SentImage[], { code, max_images }: Failure): number {
  const half = Math.floor(images.length / 2);
  if (max_images !== undefined && max_images < images.length) return max_images;
  if (code !== 'image') return half;
  // Which one it is is not said: it goes with all that are older than the largest.
  const largest = images.reduce(
    (at, { bytes }, index) => (bytes >= (images[at]?.bytes ?? 0) ? index : at),
    0,
  );
  return images.length - 1 - largest;
}

/** For the person: why it is asked again, and without what. */
export function leavingText(failure: Failure, left: readonly SentImage[]): string {
  const [first] = left;
  const which =
    left.length === 1 ? `the image "${first?.name ?? ''}"` : `the ${String(left.length)} oldest images`;
  return `${failure.message} Asked once more without ${which}.`;
}
