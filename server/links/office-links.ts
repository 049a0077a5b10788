/**
 * The path of the office's pages, on the ops listener. A proxy publishes the paths that begin with it, and no
 * others.
 */
export const OFFICE_PATH = '/office';

/** The office's page of a registration, by the payment of its deposit. */
export function officeRegistrationPath(id: string): string {
  return `${OFFICE_PATH}/registrations/${id}`;
}

/** The page of what is announced to everyone. */
export const officeLettersPath = `${OFFICE_PATH}/letters`;

/** The page of the waiting list. */
export const officeWaitingPath = `${OFFICE_PATH}/waiting`;
