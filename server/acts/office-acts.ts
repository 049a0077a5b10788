import type { Edition } from '#shared/content/edition.ts';
import type { OfficeAct } from './act.ts';
import { type Announcing, announceRecordings, announceRoom, announceSchedule } from './announce.ts';
import {
  cancel,
  cancelWhole,
  disputeOver,
  refund,
  refundByCheck,
  twoPeople,
  undoCancel,
} from './cancelling-acts.ts';
import { charge, payByCheck, postpone, waive, withdraw } from './decide-registration.ts';
import { forgetRegistration, lookedAt } from './forget-registration.ts';
import { letterActs } from './letter-acts.ts';
import { addNote, calledBack, takeNoteBack } from './notes.ts';
import { agreeToPlan, planPayments } from './payment-plan.ts';
import { receive, takeBack } from './receive-payment.ts';
import { endRegistration, holdPlace } from './register-somebody.ts';
import { addressWorks, editAct, handOver, lookAtOwnPage, renewLink, sendLink } from './registrant-acts.ts';
import type { RegistrationAct } from './registration-act.ts';
import { stopMessage, writeMessage } from './write-message.ts';

/** All acts on a registration, in the order in which its page and the command `act` offer them. */
export const officeActs: readonly RegistrationAct[] = [
  holdPlace,
  endRegistration,
  charge,
  payByCheck,
  receive,
  takeBack,
  waive,
  postpone,
  planPayments,
  agreeToPlan,
  withdraw,
  cancel,
  undoCancel,
  refund,
  cancelWhole,
  twoPeople,
  refundByCheck,
  disputeOver,
  ...letterActs,
  addNote,
  calledBack,
  takeNoteBack,
  editAct,
  handOver,
  addressWorks,
  lookAtOwnPage,
  sendLink,
  renewLink,
  lookedAt,
  forgetRegistration,
];

export const announceActs: readonly OfficeAct<Announcing, Edition>[] = [
  announceSchedule,
  announceRoom,
  announceRecordings,
  writeMessage,
  stopMessage,
];
