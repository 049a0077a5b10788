/** Where the office's pages are, on the ops listener. A proxy publishes what begins with this, and nothing else. */
export const OFFICE_PATH = '/office';

/** One registration's page at the office, by its deposit's payment. */
export function officeRegistrationPath(id: string): string {
  return `${OFFICE_PATH}/registrations/${id}`;
}

/** The page of the waiting list. */
export const officeWaitingPath = `${OFFICE_PATH}/waiting`;
