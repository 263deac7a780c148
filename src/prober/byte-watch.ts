// Compares the bytes of connections with TLS with their limit, once in each turn of the event loop.

interface Watched {
  checkBytes(): void;
}

const watched = new Set<Watched>();
let isScheduled = false;

/**
 * TLS can receive any number of records that contain no data, such as padding and session tickets, and then runs no
 * code of the probe.
 */
export const watchBytes = (connection: Watched): void => {
  watched.add(connection);
  schedule();
};

export const stopWatchingBytes = (connection: Watched): void => void watched.delete(connection);

/** Such an immediate runs after the sockets were read, but does not keep the event loop from waiting for them. */
const schedule = (): void => {
  if (isScheduled || watched.size === 0) return;
  isScheduled = true;
  setImmediate(checkAll).unref();
};

const checkAll = (): void => {
  isScheduled = false;
  for (const connection of watched) connection.checkBytes();
  schedule();
};
