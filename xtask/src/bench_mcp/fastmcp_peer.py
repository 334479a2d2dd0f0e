"""The skills below a directory, served over stdio by fastmcp's own provider. Usage: fastmcp_peer.py DIRECTORY"""

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider

FastMCP("skills", providers=[SkillsDirectoryProvider(sys.argv[1])]).run(show_banner=False)
