/** Where the office's pages are, on the ops listener. A proxy publishes what begins with the first, and nothing else. */
export const OFFICE_PATH = '/office';

export const officePaths = {
  list: OFFICE_PATH,
  signIn: `${OFFICE_PATH}/sign-in`,
  signOut: `${OFFICE_PATH}/sign-out`,
  csv: `${OFFICE_PATH}/registrations.csv`,
  /** One registration, by its deposit's payment. */
  registration: (id: string): string => `${OFFICE_PATH}/registrations/${id}`,
  /** The form of one of its acts. */
  act: (id: string, act: string): string => `${OFFICE_PATH}/registrations/${id}/${act}`,
  evidence: (id: string): string => `${OFFICE_PATH}/registrations/${id}/evidence`,
  status: `${OFFICE_PATH}/status`,
  /** The queue board is no page of the office: support reaches it from inside. */
  queues: '/queues',
} as const;
