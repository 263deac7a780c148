// Addresses to listen on, as options of commands give them.

import { InvalidArgumentError } from 'commander';
import { LISTEN_ADDRESS, type ListenAddress, parseListenAddress } from '../config/network.ts';

/** Throws InvalidArgumentError, which commander tells with the option's name. */
export const addressOf = (text: string): ListenAddress => {
  const address = parseListenAddress(text);
  if (!address) throw new InvalidArgumentError(`expected ${LISTEN_ADDRESS}`);
  return address;
};
