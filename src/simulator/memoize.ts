// Caches values that are computed from an object, for as long as the object exists.

/** Returns a version of `compute` that runs at most once for each `key` object. */
export const memoizeByObject = <K extends object, V>(compute: (key: K) => V): ((key: K) => V) => {
  const cache = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const cached = cache.get(key) ?? { value: compute(key) };
    cache.set(key, cached);
    return cached.value;
  };
};
