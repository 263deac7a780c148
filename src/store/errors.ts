// Defines the store's error, whose `kind` is one of a closed set.

export type StoreErrorKind =
  | 'foreign'
  | 'newer'
  | 'damaged'
  | 'replaced'
  | 'locked'
  | 'unwritable'
  | 'failed';

export class StoreError extends Error {
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.kind = kind;
  }
}

/** Returns the error with the message of its kind, if there is one. Any other error stays as it is. */
export const withMessage = (error: unknown, messages: Partial<Record<StoreErrorKind, string>>): unknown => {
  const message = error instanceof StoreError ? messages[error.kind] : undefined;
  return error instanceof StoreError && message !== undefined
    ? new StoreError(error.kind, message, { cause: error })
    : error;
};
