// Tells probes that their signal was aborted, with one listener for all probes of a signal.

type OnAbort = () => void;

interface Waiting {
  readonly callbacks: Set<OnAbort>;
  readonly callAll: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal is aborted. The result ends this.
 *
 * Node.js keeps the listeners of a signal in a linked list. A removed listener that is already old keeps later ones in
 * memory until the next full garbage collection, with the sockets of their probes.
 */
export const onAbort = (signal: AbortSignal, callback: OnAbort): (() => void) => {
  const { callbacks, callAll } = waitingFor.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener('abort', callAll);
    waitingFor.delete(signal);
  };
};

const listenTo = (signal: AbortSignal): Waiting => {
  const callbacks = new Set<OnAbort>();
  const callAll = (): void => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  const waiting = { callbacks, callAll };
  waitingFor.set(signal, waiting);
  return waiting;
};
