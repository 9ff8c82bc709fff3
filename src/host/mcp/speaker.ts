/** All that needs the protocol's library: loaded when the first server starts. */
export { connect } from './connect.js';
export { signIn } from './sign-in.js';
