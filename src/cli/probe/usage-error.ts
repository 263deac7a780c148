// Defines the error of a command that could not begin, because of what the operator gave.

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
