// Names the urls of tests and probes without their secrets.

/** A configured url, with its name if it has one. */
export interface NamedUrl {
  readonly name?: string | undefined;
  readonly url: { reveal(): string };
}

/** The value of the label `url`: the name, or the address without userinfo, query and fragment. */
export const urlLabel = ({ name, url }: NamedUrl): string => name ?? urlWithoutSecrets(url.reveal());

const urlWithoutSecrets = (address: string): string => {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
};
