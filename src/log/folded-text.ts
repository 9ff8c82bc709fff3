/**
 * Text as a search compares it: upper and lower case are the same, whatever form of a letter stands for them, and so are
 * letters that are composed and those that are put together.
 */
export const foldedText = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
