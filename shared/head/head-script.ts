import { earlyPressesScript } from '#shared/early-presses.ts';
import { themeScript } from '#shared/theme.ts';
import { arrivalScript } from './arrival.ts';
import { registeredScript } from './registered.ts';
import { sameHoursScript } from './same-hours.ts';

/** The page's one inline script; the Content-Security-Policy allows it by the hash of this very text. */
export const headScript = [
  themeScript,
  registeredScript,
  sameHoursScript,
  arrivalScript,
  earlyPressesScript,
].join('\n');
