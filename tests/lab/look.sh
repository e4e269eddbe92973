#!/bin/sh
# What there is on a host: files, units, mounts, interfaces, routes, rules for packets, processes, settings.
# But for what the system itself changes meanwhile, and what Ansible and a test's own kubectl keep.
find / /run /mnt /var/lib/containerd /var/lib/kubelet /var/lib/etcd -xdev \
  \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root/.ansible \
  -o -path /root/.kube -o -path /root/.cache -o -path '/run/sshd*' -o -path /var/log/journal \
  -o -path /var/lib/systemd -o -path /run/user -o -path /run/systemd -o -path /run/udev -o -path /run/log \
  -o -path /run/motd.dynamic -o -path /run/xtables.lock -o -path /var/lib/logrotate -o -name __pycache__ \) \
  -prune -o -printf 'file %y %m %u:%g %p %l\n' | sort -u
systemctl list-unit-files --plain --no-legend | awk '{print "unit file", $1, $2}'
systemctl list-units --all --plain --no-legend --type=service,timer,slice,mount,scope |
  awk '!/session-|user-|user@|ssh@|ssh.service|tmpfiles-clean|apt-daily|dpkg-db|e2scrub|logrotate.service/ {print "unit", $1, $3}'
cut -d' ' -f5 /proc/self/mountinfo | sed 's/^/mount /' | sort
find /sys/class/net -mindepth 1 -printf 'interface %f\n'
ip route | sed 's/^/route /'; ip -6 route | grep -v fe80 | sed 's/^/route /'; ip rule | sed 's/^/rule /'
for program in iptables ip6tables; do $program-save | grep '^-A\|^:.* - '; done
find /sys/fs/cgroup -name '*kube*' -o -name 'cri-containerd*'
pgrep -l -x 'kubelet|containerd|containerd-shim|etcd|pause|flanneld|coredns' | cut -d' ' -f2
sed 's/^/reserved ports /' /proc/sys/net/ipv4/ip_local_reserved_ports
grep -v '^#' /etc/hosts /etc/passwd /etc/group
true
