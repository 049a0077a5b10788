import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import type { Situation } from '#server/office/timeline.ts';
import { cancellingCommands } from './cancelling-commands.ts';
import type { Command } from './command.ts';
import { moneyCommands } from './money-commands.ts';
import { calledBack } from './note-commands.ts';
import { personCommands } from './person-commands.ts';

const { charge, receive, refundByCheck } = moneyCommands;
const { cancel, twoPeople, disputeOver } = cancellingCommands;
const { edit, sendLink } = personCommands;

/** The command that helps most often with a need of the office. */
const helps: Readonly<Partial<Record<OfficeNeed, Command<Situation>>>> = {
  'call-back': calledBack,
  'action-needed': sendLink,
  'asked-to-pay': sendLink,
  overdue: charge,
  'deposit-late': receive,
  'check-overdue': receive,
  disputed: disputeOver,
  'paid-twice': twoPeople,
  'deposit-refunded': cancel,
  'check-to-send': refundByCheck,
  bounced: edit,
};

/** The command that helps with a need, where it is possible now. */
export function helpWith(need: OfficeNeed, about: Situation): Command<Situation> | undefined {
  const help = helps[need];
  return help?.refuses(about) === undefined ? help : undefined;
}
