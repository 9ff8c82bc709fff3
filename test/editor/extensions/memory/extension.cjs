// Files that lie on no disk: memory:/<name>. What is there at first is told by the environment, as JSON: path → text.
const vscode = require('vscode');

const { FileSystemError, FileType } = vscode;

class Memory {
  constructor(files) {
    this.files = new Map();
    this.folders = new Set(['/']);
    this.changes = new vscode.EventEmitter();
    this.onDidChangeFile = this.changes.event;
    for (const [path, text] of Object.entries(files)) this.put(`/${path}`, new TextEncoder().encode(text));
  }

  put(path, bytes) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      this.folders.add(path.slice(0, at));
    const type = this.files.has(path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.files.set(path, { bytes, mtime: Date.now() });
    this.changes.fire([{ type, uri: vscode.Uri.from({ scheme: 'memory', path }) }]);
  }

  watch() {
    return { dispose: () => undefined };
  }

  stat(uri) {
    const file = this.files.get(uri.path);
    if (file) return { type: FileType.File, ctime: 0, mtime: file.mtime, size: file.bytes.length };
    if (this.folders.has(uri.path)) return { type: FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    throw FileSystemError.FileNotFound(uri);
  }

  readDirectory(uri) {
    if (!this.folders.has(uri.path)) throw FileSystemError.FileNotFound(uri);
    const inside = (path) =>
      path !== uri.path && path.slice(0, path.lastIndexOf('/')) === uri.path.replace(/\/$/, '');
    const name = (path) => path.slice(path.lastIndexOf('/') + 1);
    return [
      ...[...this.folders].filter(inside).map((path) => [name(path), FileType.Directory]),
      ...[...this.files.keys()].filter(inside).map((path) => [name(path), FileType.File]),
    ];
  }

  createDirectory(uri) {
    this.folders.add(uri.path);
  }

  readFile(uri) {
    const file = this.files.get(uri.path);
    if (file) return file.bytes;
    throw this.folders.has(uri.path)
      ? FileSystemError.FileIsADirectory(uri)
      : FileSystemError.FileNotFound(uri);
  }

  writeFile(uri, bytes, { create, overwrite }) {
    const isThere = this.files.has(uri.path);
    if (!isThere && !create) throw FileSystemError.FileNotFound(uri);
    if (isThere && create && !overwrite) throw FileSystemError.FileExists(uri);
    this.put(uri.path, bytes);
  }

  delete(uri) {
    if (!this.files.delete(uri.path)) throw FileSystemError.FileNotFound(uri);
    this.changes.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  rename(from, to) {
    this.put(to.path, this.readFile(from));
    this.delete(from);
  }
}

exports.activate = (context) => {
  const memory = new Memory(JSON.parse(process.env.BOUGH_TEST_MEMORY ?? '{}'));
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('memory', memory, { isCaseSensitive: true }),
  );
};
