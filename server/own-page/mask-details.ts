import { withoutExtension } from '#shared/mail-and-phone.ts';

/** How many digits of a number stay hidden at least, and its extension: the last four are a proof of identity. */
const HIDDEN = 7;
/** The country code and the area code. */
const MOST_SHOWN = 4;

/** `+1 (555) 555-0142` -> `+1 (555) •••-••••`. */
export function maskPhone(phoneNumber: string): string {
  const digits = withoutExtension(phoneNumber).replaceAll(/\D/g, '').length;
  const shown = Math.max(0, Math.min(MOST_SHOWN, digits - HIDDEN));
  let place = 0;
  return phoneNumber.replaceAll(/\d/g, (digit) => {
    place += 1;
    return place <= shown ? digit : '•';
  });
}

/** `wilma@example.org` -> `w…@example.org`: someone with an old link does not learn the new address. */
export function maskAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
