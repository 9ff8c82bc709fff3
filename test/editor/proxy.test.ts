// Whoever has to go through a proxy says so in VS Code's own settings, and the model is asked through it.
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { reply, startModelServer } from '../model-server/index.js';
import { withEditor } from './bench/index.js';
import { personAt } from './person.js';
import { providers } from './scripted.js';

/** A name that only the proxy knows: without it nobody answers. */
const host = 'models.of-the-company.invalid';

test("the model is asked through the proxy of VS Code's own settings", async () => {
  const server = await startModelServer();
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    const { pathname } = new URL(incoming.url ?? '', 'http://proxy.invalid');
    const { method, headers } = incoming;
    const on = request(new URL(pathname, server.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    on.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(on);
  });
  // What VS Code's own fetch asks of a proxy, for http too.
  proxy.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url ?? ''}`);
    const on = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      on.pipe(socket);
      socket.pipe(on);
    });
    on.on('error', () => socket.destroy());
    socket.on('error', () => on.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const { pathname } = new URL(server.url);
  const machineSettings = {
    ...providers(`http://${host}${pathname}`),
  };
  const settings = { 'http.proxy': `http://127.0.0.1:${String(port)}`, 'bough.retry.maxAttempts': 1 };
  try {
    await withEditor({ settings, machineSettings }, async (editor) => {
      const person = await personAt(editor);
      server.enqueue(reply.text('Through the proxy.'));
      await person.ask('Hello', 'Through the proxy.');
      expect(asked.filter((one) => one.includes(host))).not.toEqual([]);
      expect(server.requests).toHaveLength(1);
    });
  } finally {
    await new Promise((resolve) => proxy.close(resolve));
    await server.close();
  }
});
