// Maps objects to rows and back, by one description of their fields.

/** How a field is stored: as it is, a boolean as 0 or 1, and any other value as JSON. */
type KindOf<V> =
  NonNullable<V> extends boolean
    ? 'flag'
    : NonNullable<V> extends string | number | Uint8Array
      ? 'plain'
      : 'json';
type Fields<T> = { readonly [N in keyof T]-?: KindOf<T[N]> };

interface StoredTypes<V> {
  readonly plain: V;
  readonly flag: number | Extract<V, null>;
  readonly json: string | Extract<V, null>;
}
/** The object with values of SQLite's types. */
export type RowOf<T> = { readonly [N in keyof T]: StoredTypes<T[N]>[KindOf<T[N]>] };

type Words<S extends string> = S extends `${infer W} ${infer Rest}` ? W | Words<Rest> : S;
const kinds =
  <K extends string>(kind: K) =>
  <S extends string>(names: S): Record<Words<S>, K> =>
    Object.fromEntries(names.split(' ').map((name) => [name, kind])) as Record<Words<S>, K>;
/** Fields of a kind, with a space between their names. */
export const [plain, flags, json] = [kinds('plain'), kinds('flag'), kinds('json')];

/** Describes rows by their fields: the column of `productType` is `product_type`. `keys` are not updated. */
export const describeRow = <T extends object>(fields: Fields<T>, keys: readonly (keyof T)[] = []) => {
  const names = Object.keys(fields) as (keyof T & string)[];
  const list = (write: (column: string, name: string) => string, listed = names): string =>
    listed.map((name) => write(columnOf(name), name)).join(', ');
  const converted = names.filter((name) => fields[name] !== 'plain');
  const convert =
    (change: (value: unknown, isFlag: boolean) => unknown) =>
    (from: object): object => {
      const to: Record<string, unknown> = { ...from };
      for (const name of converted)
        to[name] = to[name] == null ? null : change(to[name], fields[name] === 'flag');
      return to;
    };
  const columns = list((column) => column);
  const values = list((_, name) => `@${name}`);
  return {
    columns,
    /** The columns under the names of the fields, for a SELECT. */
    selected: list((column, name) => (column === name ? name : `${column} AS ${name}`)),
    /** The parameters for an INSERT. */
    values,
    /** The statement that inserts a row of an account; `or` says what a conflict does, such as `OR REPLACE`. */
    insert: (table: string, or = ''): string =>
      `INSERT ${or} INTO ${table} (account_id, ${columns}) VALUES (@accountId, ${values})`,
    /** The values for an update after a conflict, and the assignments of these values. */
    excluded: list((column) => `excluded.${column}`),
    updates: list(
      (column) => `${column} = excluded.${column}`,
      names.filter((name) => !keys.includes(name)),
    ),
    toRow: convert((value, isFlag) => (isFlag ? Number(value) : JSON.stringify(value))) as (
      value: T,
    ) => RowOf<T>,
    /** Further columns of the row stay as they are. */
    fromRow: convert((value, isFlag) => (isFlag ? value === 1 : JSON.parse(String(value)))) as <
      R extends RowOf<T>,
    >(
      row: R,
    ) => Omit<R, keyof T> & T,
  };
};

/** Returns those of the conditions whose values a filter gives. */
export const conditionsFor = (conditions: Readonly<Record<string, string>>, filter: object): string[] =>
  Object.entries(conditions).flatMap(([name, condition]) =>
    Reflect.get(filter, name) === undefined ? [] : [condition],
  );

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
