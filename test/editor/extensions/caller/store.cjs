// A store as another extension might bring it: sessions in memory, all that is required and nothing else.
exports.createStore = () => {
  const sessions = new Map();
  const blobs = new Map();
  const state = { isBroken: false };
  const whole = () => {
    if (state.isBroken) throw new Error('the database is away');
  };
  const rowOf = ({ header, entries, created, updated }) => ({
    id: header.id,
    created,
    updated,
    entries: entries.length,
    bytes: JSON.stringify([header, entries]).length,
    ...(header.owner === undefined ? {} : { owner: header.owner }),
  });
  const store = {
    async load(id) {
      const found = sessions.get(id);
      return found && { row: rowOf(found), header: found.header, entries: [...found.entries] };
    },
    async create(header, entries) {
      whole();
      if (sessions.has(header.id)) return false;
      const now = Date.now();
      sessions.set(header.id, { header, entries: [...entries], created: now, updated: now });
      return true;
    },
    async append(id, position, entry) {
      whole();
      const found = sessions.get(id);
      if (found?.entries.length !== position) return false;
      found.entries.push(entry);
      found.updated = Date.now();
      return true;
    },
    async delete(id) {
      sessions.delete(id);
    },
    async list() {
      whole();
      const rows = [...sessions.values()].map(rowOf);
      return rows.sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));
    },
    async putBlob(id, hash, bytes) {
      blobs.set(`${id} ${hash}`, bytes);
    },
    async getBlob(id, hash) {
      return blobs.get(`${id} ${hash}`);
    },
  };
  const held = () =>
    Object.fromEntries([...sessions].map(([id, { entries }]) => [id, entries.map(({ type }) => type)]));
  return { store, state, held };
};
