/**
 * Server-sent events from raw bytes: one decoder per response, fed with network chunks of any size. Lines are found on
 * bytes and decoded whole, so that no character is ever torn; comments and unknown fields are passed over.
 */
export interface StreamEvent {
  /** The `event:` field, '' when there was none. */
  event: string;
  /** The `data:` lines joined; undefined when there was none. */
  data: string | undefined;
}

export interface EventDecoder {
  push(chunk: Uint8Array): StreamEvent[];
  /** The event whose closing empty line never came, at the end of the body. */
  rest(): StreamEvent | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

const join = (pieces: Uint8Array[], last: Uint8Array): Uint8Array => {
  if (pieces.length === 0) return last;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, last.length));
  let at = 0;
  for (const piece of [...pieces, last]) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

export const createEventDecoder = (): EventDecoder => {
  const decoder = new TextDecoder('utf-8');
  let pieces: Uint8Array[] = [];
  let afterCR = false;
  let event = '';
  let data: string[] = [];

  const take = (): StreamEvent | undefined => {
    const isEmpty = event === '' && data.length === 0;
    const whole = { event, data: data.length === 0 ? undefined : data.join('\n') };
    event = '';
    data = [];
    return isEmpty ? undefined : whole;
  };

  const field = (line: string): void => {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
  };

  const endLine = (last: Uint8Array, events: StreamEvent[]): void => {
    const line = decoder.decode(join(pieces, last));
    pieces = [];
    if (line !== '') return field(line);
    const whole = take();
    if (whole) events.push(whole);
  };

  return {
    push(chunk) {
      const events: StreamEvent[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (byte !== LF && byte !== CR) {
          afterCR = false;
          continue;
        }
        // CR LF is one line end, also when a chunk ends between the two.
        if (byte === LF && afterCR) afterCR = false;
        else {
          endLine(chunk.subarray(from, at), events);
          afterCR = byte === CR;
        }
        from = at + 1;
      }
      if (from < chunk.length) pieces.push(chunk.slice(from));
      return events;
    },
    rest() {
      if (pieces.length > 0) endLine(new Uint8Array(), []);
      return take();
    },
  };
};
