// Finds the documentation of this version in the repository that package.json names.

export interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url: string };
}

/** The owner that package.json names until build/set-owner.ts sets another one. */
const NO_OWNER = 'OWNER';

/** Returns the address of the page about alerts; undefined if the repository is unknown. */
export const docsUrlOf = ({ version, repository }: Manifest): string | undefined => {
  const [, address, owner] =
    /^git\+(https:\/\/[^/]+\/([^/]+)\/[^/]+)\.git$/.exec(repository?.url ?? '') ?? [];
  return owner === undefined || owner === NO_OWNER ? undefined : `${address}/blob/v${version}/docs/alerts.md`;
};
