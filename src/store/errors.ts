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
