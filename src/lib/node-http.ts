// Parts of node:http. An import of node:http from an ES module evaluates all of its exports, and the export WebSocket
// loads a second HTTP client, which takes 12 MB of memory.

export const { STATUS_CODES } = process.getBuiltinModule('node:http');
