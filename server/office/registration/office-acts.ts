import { giveBackActs } from './give-back-acts.ts';
import { letterActs } from './letter-acts.ts';
import { moneyActs } from './money-acts.ts';
import { noteActs } from './note-acts.ts';
import { personActs } from './person-acts.ts';
import { unpaidActs } from './register-acts.ts';
import type { RegistrationAct } from './registration-act.ts';

/** All acts on a registration, in the order in which its page offers them. */
export const officeActs: readonly RegistrationAct[] = [
  ...unpaidActs,
  ...moneyActs,
  ...giveBackActs,
  ...letterActs,
  ...noteActs,
  ...personActs,
];
