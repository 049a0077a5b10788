/** Characters of a host name in any script: nothing else that a URL gives a meaning. */
const HOST = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u;
const ASCII = /^\p{ASCII}*$/u;

/**
 * The address with its domain in ASCII form, in which mail servers and Stripe take it:
 * `anna@bücher.example` -> `anna@xn--bcher-kva.example`. Returned unchanged if it is in that form already, or if
 * its domain is none.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (ASCII.test(domain) || !HOST.test(domain)) return address;
  try {
    return address.slice(0, at) + new URL(`http://${domain}`).hostname;
  } catch {
    return address;
  }
}
