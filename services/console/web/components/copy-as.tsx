import { Menu, MenuButton, MenuItem, MenuProvider } from '@ariakit/react';
import { useQuery } from '@tanstack/react-query';
import { Terminal } from 'lucide-react';
import { t } from '../app/i18n.ts';
import { getSession } from '../app/session.ts';
import { buttonClass, withKey } from './button.tsx';
import styles from './menu.module.css';

interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its query, such as `/v1/projects/prj_shop/flags`. */
  path: string;
  body?: unknown;
}

interface CopyAsProps {
  /** Absent for the management API: its address is known inside the deployment alone. */
  call?: Call;
  /** The same as a command, such as `switchboard flags list --project prj_shop`. */
  command?: string;
}

/** Copies what the page shows or does as a `curl` call or a `switchboard` command. */
export function CopyAs({ call, command }: CopyAsProps) {
  const { data } = useQuery({ queryKey: ['session'], queryFn: getSession });
  const copy = (text: string) => void navigator.clipboard.writeText(text);
  return (
    <MenuProvider>
      <MenuButton {...withKey('y')} className={buttonClass('quiet')}>
        <Terminal size={16} aria-hidden /> {t('Copy as')}
      </MenuButton>
      <Menu gutter={4} portal className={styles['menu']}>
        {call === undefined ? null : (
          <MenuItem className={styles['item']} onClick={() => copy(curlOf(call, data?.hosts.api ?? ''))}>
            {t('curl call')}
          </MenuItem>
        )}
        {command === undefined ? null : (
          <MenuItem className={styles['item']} onClick={() => copy(command)}>
            {t('switchboard command')}
          </MenuItem>
        )}
      </Menu>
    </MenuProvider>
  );
}

/** Returns a curl call that reads the access token from the variable TOKEN. */
export function curlOf({ method, path, body }: Call, host: string): string {
  const parts = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(host + path)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Returns a text as one word of a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
