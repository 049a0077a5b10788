import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TestScope, testFolder } from './clean-up.ts';

const run = promisify(execFile);

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc';

/**
 * Makes the certificates with openssl: valid for a day, and deleted after the test. Those of server, which is at 127.0.0.1,
 * and client are signed by `ca`, that of a stranger by itself. Their files in the folder are `NAME.pem` and `NAME.key`.
 */
export async function makeCertificates(t: TestScope) {
  const folder = await testFolder(t, 'certificates');
  const make = async (name: string, more = '') => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    const files = `-keyout ${key} -out ${cert}`;
    await run('openssl', `req -x509 ${NEW_KEY} ${files} -days 1 -subj /CN=${name}${more}`.split(' '));
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  };
  const [ca, stranger] = await Promise.all([make('ca'), make('stranger')]);
  const signed = ` -CA ${join(folder, 'ca.pem')} -CAkey ${join(folder, 'ca.key')}`;
  const leaf = `${signed} -addext basicConstraints=critical,CA:FALSE`;
  const [server, client] = await Promise.all([
    make('server', `${leaf} -addext subjectAltName=IP:127.0.0.1`),
    make('client', leaf),
  ]);
  return { folder, ca, server, client, stranger };
}
