/**
 * An image as providers take it: not larger than they look at, not more bytes than they accept, PNG or JPEG. One that is so
 * already keeps its bytes.
 */

/** Longest side in pixels: providers make larger ones smaller themselves, or refuse them. */
export const LONGEST_SIDE = 1568;
/** In base64, as it is sent, this stays below 5 MB. */
export const MOST_BYTES = 3_750_000;

const kept = new Set(['image/png', 'image/jpeg']);
/** Tried one after the other until the bytes are few enough. */
const qualities = [0.9, 0.8, 0.65, 0.5];

export interface PreparedImage {
  mime: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

/** Undefined for what the browser cannot read as an image. */
export async function prepareImage(file: Blob): Promise<PreparedImage | undefined> {
  const bitmap = await decode(file);
  if (bitmap === undefined) return undefined;
  try {
    const longest = Math.max(bitmap.width, bitmap.height);
    const { type } = file;
    if (longest <= LONGEST_SIDE && file.size <= MOST_BYTES && kept.has(type))
      return { mime: type === 'image/png' ? type : 'image/jpeg', bytes: await bytesOf(file) };
    return await encode(bitmap, Math.min(1, LONGEST_SIDE / longest), type !== 'image/jpeg');
  } finally {
    bitmap.close();
  }
}

async function decode(file: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file);
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** As PNG when it was no photograph; what is still too much as JPEG, then smaller. */
async function encode(bitmap: ImageBitmap, scale: number, asPng: boolean): Promise<PreparedImage> {
  const canvas = draw(bitmap, scale);
  if (asPng) {
    const png = await canvas.convertToBlob({ type: 'image/png' });
    if (png.size <= MOST_BYTES) return { mime: 'image/png', bytes: await bytesOf(png) };
  }
  for (const quality of qualities) {
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality });
    if (jpeg.size <= MOST_BYTES) return { mime: 'image/jpeg', bytes: await bytesOf(jpeg) };
  }
  return encode(bitmap, scale / 2, false);
}

function draw(bitmap: ImageBitmap, scale: number): OffscreenCanvas {
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser gives no canvas to make the image smaller on.');
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer());

/** In pieces: a call takes only so many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
