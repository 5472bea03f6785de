"""slurm_here.py - Slurm on this one machine, in a folder that is thrown away: for check_engines and for bench/scale_bench.py.
Standard library only."""

import os
import shutil
import socket
import subprocess
import time


def slurm_is_there():
    return all(shutil.which(name) for name in ("sbatch", "slurmctld", "slurmd", "munged"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def slurm_settings(folder):
    node = socket.gethostname().split(".")[0]
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    return node, f"""ClusterName=marey
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
NodeName={node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={node} Default=YES State=UP
"""


class Slurm:
    """munge, slurmctld and slurmd in the foreground, in a folder of their own."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.daemons = folder, environment, []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o400)
        node, settings = slurm_settings(folder)
        (folder / "slurm.conf").write_text(settings)
        environment["SLURM_CONF"] = str(folder / "slurm.conf")
        self.start("munged", "--foreground", "--force", f"--key-file={folder}/key",
                   *[f"--{what}={folder}/munge.{what.split('-')[0]}" for what in ("socket", "pid-file", "log-file", "seed-file")])
        self.wait_for(lambda: (folder / "munge.socket").exists())
        self.start("slurmctld", "-D", "-c")
        self.start("slurmd", "-D", "-N", node)

    def start(self, *words):
        with open(self.folder / f"{words[0]}.said", "w") as said:
            self.daemons.append(subprocess.Popen(words, stdout=said, stderr=said, stdin=subprocess.DEVNULL, env=self.environment))

    def wait_for(self, is_so):
        """For a minute, which no machine needs; false when it never was so, or a daemon ended."""
        for _ in range(600):
            if is_so():
                return True
            if any(one.poll() is not None for one in self.daemons):
                return False
            time.sleep(0.1)
        return False

    def is_up(self):
        return self.wait_for(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True,
                                                              env=self.environment).stdout)

    def stop(self):
        for one in reversed(self.daemons):
            one.terminate()
            try:
                one.wait(timeout=20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()

    def said(self):
        return "; ".join(path.read_text()[-300:] for path in self.folder.glob("*.said"))
