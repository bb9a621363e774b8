"""What the fork server imports and reads once, so that a process of the test starts fast.

Only the fork server imports this module: it lets botocore keep the models that it has read.
"""

from functools import cache

import botocore.loaders
import botocore.session

from chaos import push_process
from podgraft.cli.policy import push_commands
from podgraft.core import trial

botocore.session.create_loader = cache(botocore.loaders.create_loader)

for _service in ("s3", "ssm"):
    botocore.session.get_session().create_client(
        _service, region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x"
    )

__all__ = ["push_commands", "push_process", "trial"]
