/** Starts the chat view: wires it to the host, reports what goes wrong in it, and shows the first snapshot. */
import './jitless.js';
import '@vscode/codicons/dist/codicon.css';
import './style.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { Chat } from './chat.svelte.js';
import { connect } from './connection.js';
import { keepFieldKeys, reportFocus } from './focus.js';
import { paced } from './pace.js';
import { reportTrouble } from './trouble.js';
import { warmUp } from './warm-up.js';
import { openWire } from './wire.js';

const wire = openWire();
reportTrouble(window, (text) => wire.post({ type: 'trouble', text }));
reportFocus(window, (focused) => wire.post({ type: 'focus', focused }));
keepFieldKeys(document);

const chat = new Chat({
  connect: (receive, shown) => connect(wire, receive, shown),
  nextFrame: paced((callback) => requestAnimationFrame(callback)),
});
mount(App, { target: document.getElementById('app') ?? document.body, props: { chat } });
chat.connection.open();
warmUp(chat);
