// Values that are worked out once for each object they are made of.

/** `compute`, at most once for each `key` that lives. */
export const oncePer = <K extends object, V>(compute: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const remembered = known.get(key) ?? { value: compute(key) };
    known.set(key, remembered);
    return remembered.value;
  };
};
