import { addressLetters } from './address-letters.ts';
import { announcedLetters } from './announced-letters.ts';
import { askingLetters } from './asking-letters.ts';
import { balanceLetters } from './balance-letters.ts';
import { balancePaid } from './balance-paid.ts';
import { cancelLetters } from './cancel-letters.ts';
import { handOverLetters } from './hand-over-letters.ts';
import { heldLetters } from './held-letters.ts';
import type { AllLetters } from './letter-kind.ts';
import { message } from './message.ts';
import { officeDigest } from './office-digest.ts';
import { officeNotices } from './office-notices.ts';
import { placeLink } from './place-link.ts';
import { planLetters } from './plan-letters.ts';
import { questionLetters } from './question-letters.ts';
import { receivedLetters } from './received-letters.ts';
import { refundLetters } from './refund-letters.ts';
import { registrationReceived } from './registration-received.ts';
import { retreatLetters } from './retreat-letters.ts';
import { waitingLetters } from './waiting-letters.ts';
import { secondPayment, welcome } from './welcome.ts';

/** All letters. Those to her are in the order in which her page lists them. */
export const letterTable: AllLetters = {
  ...registrationReceived,
  ...officeNotices,
  ...welcome,
  ...secondPayment,
  ...balanceLetters,
  ...askingLetters,
  ...heldLetters,
  ...receivedLetters,
  ...planLetters,
  ...balancePaid,
  ...questionLetters,
  ...retreatLetters,
  ...cancelLetters,
  ...refundLetters,
  ...addressLetters,
  ...handOverLetters,
  ...announcedLetters,
  ...message,
  ...placeLink,
  ...waitingLetters,
  ...officeDigest,
};
