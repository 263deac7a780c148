// Parts of node:http. An import of node:http from an ES module evaluates all of its exports, and the export WebSocket
// loads a second HTTP client, which takes 12 MB of memory.

const http = process.getBuiltinModule('node:http');

export const { get, STATUS_CODES } = http;
