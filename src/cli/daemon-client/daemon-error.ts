// Defines the error of a command that asks a running daemon. Its message says what to do, and holds no secret.

export class DaemonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DaemonError';
  }
}
