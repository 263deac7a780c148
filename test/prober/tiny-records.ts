// A TLS server that answers in records of one byte, so that a short handshake takes many bytes.

import type { Handler } from './fake-proxy.ts';

const KB = 1_024;

const record = (bytes: Buffer | readonly number[]): Buffer =>
  Buffer.from([22, 3, 3, bytes.length >> 8, bytes.length & 0xff, ...bytes]);

/** Answers TLS 1.2 with a certificate of 96 kB, in records of one byte. It never ends its last message. */
export const tinyRecords: Handler = (socket) => {
  const random = new Array<number>(32).fill(1);
  const hello = [3, 3, ...random, 0, 0xc0, 0x2f, 0, 0, 5, 0xff, 1, 0, 1, 0];
  const certificate = [11, 1, 0x80, 0, ...new Array<number>(96 * KB - 1).fill(0)];
  socket.once('data', () => {
    socket.write(record([2, 0, 0, hello.length, ...hello]));
    socket.write(Buffer.concat(certificate.map((byte) => record([byte]))));
  });
};
