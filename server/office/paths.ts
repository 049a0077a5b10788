import { OFFICE_PATH, officePages } from '#server/letters/render/parts.ts';

export const officePaths = {
  today: OFFICE_PATH,
  list: `${OFFICE_PATH}/people`,
  signIn: `${OFFICE_PATH}/sign-in`,
  signOut: `${OFFICE_PATH}/sign-out`,
  csv: `${OFFICE_PATH}/registrations.csv`,
  participants: `${OFFICE_PATH}/participants`,
  participantsCsv: `${OFFICE_PATH}/participants.csv`,
  icon: `${OFFICE_PATH}/favicon.svg`,
  /** One registration, by its ID. */
  registration: officePages.registration,
  /** The form of one of its acts. */
  act: (id: string, act: string): string => `${officePages.registration(id)}/${act}`,
  /** The form by which somebody is registered. */
  register: (edition: string, act = 'register'): string => `${OFFICE_PATH}/new/${edition}/${act}`,
  /** All that is kept about her, as a file. */
  export: (id: string): string => `${officePages.registration(id)}/export.json`,
  letters: officePages.letters,
  /** The form of an act that announces something to everyone. */
  announce: (edition: string, act: string): string => `${officePages.letters}/${edition}/${act}`,
  /** The same of one letter, by the id of its job. */
  letterAct: (id: string, act: string): string => `${officePages.letters}/mail/${id}/${act}`,
  waiting: officePages.waiting,
  /** The page of an act on an entry of the waiting list, by its id. */
  waitingAct: (id: string, act: string): string => `${officePages.waiting}/${id}/${act}`,
  bookkeeping: `${OFFICE_PATH}/bookkeeping`,
  bookkeepingCsv: `${OFFICE_PATH}/bookkeeping.csv`,
  status: `${OFFICE_PATH}/status`,
} as const;

export const isOfficePath = (path: string): boolean =>
  path === OFFICE_PATH || path.startsWith(`${OFFICE_PATH}/`);
