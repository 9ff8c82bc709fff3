/** Waits on this machine for the browser to come back from a sign-in. Only the answer to this one is taken. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Disposable } from '../../ports.js';

export interface Redirect extends Disposable {
  url: string;
  state: string;
  answer: Promise<URLSearchParams>;
}

const PATH = '/mcp/signed-in';

/** `words`: what the page says then. */
export async function openRedirect(words: string): Promise<Redirect> {
  const state = randomUUID();
  let resolve: (answer: URLSearchParams) => void = () => undefined;
  const answer = new Promise<URLSearchParams>((done) => (resolve = done));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isAnswer = request.method === 'GET' && pathname === PATH && searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(isAnswer ? words : '');
    if (isAnswer) resolve(searchParams);
  });
  await new Promise<void>((ready, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', ready);
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${String(port)}${PATH}`, state, answer },
    dispose: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}
