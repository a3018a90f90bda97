import { useEffect, useState } from 'react';

const isGranted = () => 'Notification' in window && Notification.permission === 'granted';

/** Whether the browser allows notifications. */
export function useGranted(): boolean {
  const [granted, setGranted] = useState(isGranted);
  useEffect(() => {
    const closing = new AbortController();
    const follow = async () => {
      const status = await navigator.permissions.query({ name: 'notifications' });
      status.addEventListener('change', () => setGranted(isGranted()), { signal: closing.signal });
    };
    void follow();
    return () => closing.abort();
  }, []);
  return granted;
}
