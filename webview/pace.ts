/**
 * Text that streams is drawn at most thirty times a second: nobody reads faster, each picture costs layout and paint, and
 * what is typed meanwhile has the pictures between.
 */

/** Two pictures of most screens, and a little less, since they do not come to the millisecond. */
const PACE_MS = 30;

type NextFrame = (callback: () => void) => void;

/** Calls back once, with the next picture that is far enough from the last one. */
export function paced(frame: (callback: (now: number) => void) => void): NextFrame {
  let last = -PACE_MS;
  return (callback) => {
    const draw = (now: number) => {
      if (now - last < PACE_MS) return frame(draw);
      last = now;
      callback();
    };
    frame(draw);
  };
}
