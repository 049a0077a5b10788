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
  registration: officePages.registration,
  act: (id: string, act: string): string => `${officePages.registration(id)}/${act}`,
  register: (edition: string, act = 'register'): string => `${OFFICE_PATH}/new/${edition}/${act}`,
  export: (id: string): string => `${officePages.registration(id)}/export.json`,
  letters: officePages.letters,
  announce: (edition: string, act: string): string => `${officePages.letters}/${edition}/${act}`,
  /** The same of one letter, by the id of its job. */
  letterAct: (id: string, act: string): string => `${officePages.letters}/mail/${id}/${act}`,
  waiting: officePages.waiting,
  waitingAct: (id: string, act: string): string => `${officePages.waiting}/${id}/${act}`,
  bookkeeping: `${OFFICE_PATH}/bookkeeping`,
  bookkeepingCsv: `${OFFICE_PATH}/bookkeeping.csv`,
  status: `${OFFICE_PATH}/status`,
} as const;

export const isOfficePath = (path: string): boolean =>
  path === OFFICE_PATH || path.startsWith(`${OFFICE_PATH}/`);
