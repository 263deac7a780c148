// Parses command line options that are addresses to listen on.

import { InvalidArgumentError } from 'commander';
import { EXPECTED_LISTEN_ADDRESS, type ListenAddress, parseListenAddress } from '../config/network.ts';

/** Throws InvalidArgumentError, which commander prints with the option's name. */
export const parseAddressOption = (text: string): ListenAddress => {
  const address = parseListenAddress(text);
  if (!address) throw new InvalidArgumentError(`Expected ${EXPECTED_LISTEN_ADDRESS}.`);
  return address;
};
