// Addresses to listen on, as options of commands give them.

import { InvalidArgumentError } from 'commander';
import { type ListenAddress, parseListenAddress } from '../config/network.ts';

/** Throws InvalidArgumentError, which commander tells with the option's name. */
export const addressOf = (text: string): ListenAddress => {
  const address = parseListenAddress(text);
  if (!address) throw new InvalidArgumentError('expected an address such as 127.0.0.1:9876 or [::1]:9876');
  return address;
};
