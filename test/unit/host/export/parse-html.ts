/** The elements of an HTML document as a browser would see them: names in lower case, attributes with references decoded. */
import { Window } from 'happy-dom';

export interface Element {
  tag: string;
  attributes: [string, string][];
}

export function parseFragment(html: string): Element[] {
  const window = new Window({ settings: { disableJavaScriptEvaluation: true } });
  const document = new window.DOMParser().parseFromString(html, 'text/html');
  return [...document.querySelectorAll('*')].map((element) => ({
    tag: element.tagName.toLowerCase(),
    attributes: [...element.attributes].map(({ name, value }): [string, string] => [name, value ?? '']),
  }));
}
